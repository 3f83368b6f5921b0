"""The gateway: an HTTP proxy between a client and its models that keeps a conversation inside the model's window.

A face like the protocol server: what it decides it decides with the engine, the store and the wire formats below it. Its rule
above all others: change nothing that need not change. The web server and the HTTP client are loaded by the modules that run
them, never by importing this package.
"""
