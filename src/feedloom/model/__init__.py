"""What all packages share: values, ports, errors, addresses."""
