//! Meshes, assemblies and scenes from files.
