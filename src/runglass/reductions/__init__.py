"""Many dimensions to a few: PCA, t-SNE, UMAP, neighbours, clusters. Arrays in and arrays out; knows no files and no HTTP."""
