"""Drawn errata: changes of published games at random, each published as it is played and printed, or refused."""
