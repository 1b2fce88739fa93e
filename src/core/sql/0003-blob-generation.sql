-- A row that went and came back is another one: an upload that kept the bytes before must put them again.
ALTER TABLE blob ADD COLUMN generation {integer} NOT NULL DEFAULT 0;
