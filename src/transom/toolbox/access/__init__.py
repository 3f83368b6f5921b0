"""How tools reach what is outside them: paths, processes and addresses, each through one object that no tool goes around."""
