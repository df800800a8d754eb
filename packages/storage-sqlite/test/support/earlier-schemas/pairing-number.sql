ALTER TABLE instances ADD COLUMN pairing_number TEXT;
