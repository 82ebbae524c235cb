"""Operations on contents. Each succeeds completely or changes nothing."""
