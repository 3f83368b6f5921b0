"""What is remembered beyond one conversation: facts, entries, sessions, projects."""
