"""What distilling is asked and answers, and what is made of it."""
