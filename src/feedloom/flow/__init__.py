"""The order of the steps: joins the packages and causes effects only through ports."""
