"""The words everybody uses: values, ports, errors, addresses."""
