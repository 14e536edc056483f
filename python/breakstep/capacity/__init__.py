"""From the breaking load of one node and a demand to what has to run: values in, values out."""
