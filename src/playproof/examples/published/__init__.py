"""Games of published results, one file each. `results.yaml` says what is published of them and of other examples."""
