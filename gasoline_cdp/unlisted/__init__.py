"""Operations that are not listed to assistants: for HTTP, the command line and resources."""
