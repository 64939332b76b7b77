import { expect, it } from 'vitest'
import { databaseName } from '../../dist/database/name.js'

/** How a database is named to people. Whatever an address is like, nothing of its password stands there. */

it.each([
  ['sqlite:/var/lib/tessera.sqlite', 'sqlite:/var/lib/tessera.sqlite'],
  ['sqlite:data/tessera.sqlite', `sqlite:${process.cwd()}/data/tessera.sqlite`],
  ['sqlite::memory:', 'sqlite::memory:'],
  ['postgres://db.internal/tessera', 'postgres://db.internal/tessera'],
  ['postgres://tessera@db.internal:5433/tessera', 'postgres://tessera@db.internal:5433/tessera'],
  ['postgres://tessera:SECRET@db.internal/tessera', 'postgres://tessera@db.internal/tessera'],
  ['postgresql://tessera:SEC:RET@db.internal/tessera', 'postgresql://tessera@db.internal/tessera'],
  [
    'postgres://tessera:SECRET@db1:5432,db2:5432/tessera?target_session_attrs=read-write',
    'postgres://tessera@db1:5432,db2:5432/tessera',
  ],
  [
    'postgres://tessera@/tessera?host=/run/postgresql&password=SECRET',
    'postgres://tessera@/tessera?host=/run/postgresql',
  ],
  ['postgres://db.internal/tessera?user=tessera&password=SECRET', 'postgres://db.internal/tessera'],
  // Not encoded, as it should be.
  ['postgres://tessera:SEC@RET@db.internal/tessera', 'postgres://tessera@db.internal/tessera'],
  ['postgres://tessera:SEC/RET@db.internal/tessera', 'postgres://…'],
  ['postgres://tessera:12/SECRET@db.internal/tessera', 'postgres://…'],
  ['postgres://tessera:SEC?RET@db.internal/tessera', 'postgres://…'],
  ['postgres://tessera:SEC#RET@db.internal/tessera', 'postgres://…'],
])('%s is %s', (url, name) => {
  expect(databaseName(url)).toBe(name)
  expect(name).not.toMatch(/SEC|RET/)
})
