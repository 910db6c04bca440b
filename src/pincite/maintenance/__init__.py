"""Operations on a whole collection: embed again, describe, refresh, remove, move to another
store."""
