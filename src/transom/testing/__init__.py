"""What a project that builds on Transom tests with: conformance suites, scripted doubles and generators."""
