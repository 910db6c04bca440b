-- Orders and who made them.
CREATE TABLE customers (
    id          BIGINT PRIMARY KEY,
    name        TEXT NOT NULL,
    mail        TEXT UNIQUE,
    created_at  TIMESTAMP DEFAULT now()
);

CREATE TABLE IF NOT EXISTS shop.orders (
    id          BIGINT PRIMARY KEY,
    customer_id BIGINT NOT NULL REFERENCES customers (id),
    total       NUMERIC(12, 2) NOT NULL,
    placed_at   TIMESTAMP NOT NULL
);

CREATE INDEX orders_by_customer ON shop.orders (customer_id, placed_at);

-- What a customer has spent in all.
CREATE VIEW spending AS
SELECT c.id, c.name, sum(o.total) AS spent
FROM customers c
JOIN shop.orders o ON o.customer_id = c.id
GROUP BY c.id, c.name;

CREATE OR REPLACE FUNCTION spent_since(customer BIGINT, since TIMESTAMP)
RETURNS NUMERIC AS $$
BEGIN
    RETURN (SELECT sum(total) FROM shop.orders WHERE customer_id = customer);
END;
$$ LANGUAGE plpgsql;

CREATE TRIGGER touch_order BEFORE UPDATE ON shop.orders
    FOR EACH ROW EXECUTE FUNCTION touch();

CREATE TYPE state AS ENUM ('open', 'paid', 'gone');
