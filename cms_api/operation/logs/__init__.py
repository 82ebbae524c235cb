"""Log lines, slow statements and error reports; loaded only if a setting needs them, except `secrets`."""
