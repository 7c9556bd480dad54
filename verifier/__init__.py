"""Proves: claims, Z3, exploration, certificates, errata."""
