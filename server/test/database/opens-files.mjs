/** A process that opens each SQLite file it is told of, as the service does, and answers 'ok' or what refused it. */
import { connectSqlite } from '../../dist/database/sqlite.js'

process.on('message', (path) => {
  try {
    connectSqlite(path).close()
    process.send('ok')
  } catch (error) {
    process.send(String(error))
  }
})
