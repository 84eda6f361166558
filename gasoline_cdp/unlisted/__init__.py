"""Operations that no assistant is shown: what HTTP, the command line and resources ask for."""
