"""Where bytes may lie. Backends know nothing of each other; only the runtime and the testing kit pick one."""
