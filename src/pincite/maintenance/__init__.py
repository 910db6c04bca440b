"""Operations on a whole collection: embed again, refresh, remove, move to another store."""
