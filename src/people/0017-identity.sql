-- Who a person is at an issuer of OpenID Connect: its identifier and the subject there. See src/people/identity.ts.
ALTER TABLE person ADD COLUMN issuer {text};
ALTER TABLE person ADD COLUMN subject {text};
-- 1 when the role is the issuer's claim.
ALTER TABLE person ADD COLUMN role_claimed {integer} NOT NULL DEFAULT 0;
CREATE UNIQUE INDEX person_by_subject ON person (issuer, subject);
