from .algorithm_collection_builder import *
