"""Running clients through the gateway: a table of them, a gateway for each run, and nothing left behind."""
