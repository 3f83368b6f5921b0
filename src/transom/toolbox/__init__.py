"""What a model can do: tools by family, the one way they are called, and what keeps them from doing harm.

Knows no protocol: the MCP server, the gateway's own loop and the command line are faces of the same catalog. Families are
imported when the toolbox is built, what is heavy in them when it is first used.
"""
