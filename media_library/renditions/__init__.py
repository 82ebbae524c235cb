"""Pictures in other sizes and formats, made when their addresses are first requested: `photo.jpg?w=640&format=auto`."""
