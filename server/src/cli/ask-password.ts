import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { type Readable, Writable } from 'node:stream'
import { isTerminal, type World } from './world.ts'

/** A new password: typed twice on a terminal, which shows nothing of it; else all that standard input holds. */
export async function newPassword(world: World): Promise<string> {
  if (!isTerminal(world)) return await passwordFrom(world.input)
  const answers = await hidden(['Password', 'The same again'], { input: world.input, output: world.errors })
  const [first = '', second] = answers
  if (first === second) return first
  throw new Error('The two are not the same; nothing was changed.')
}

/** All that a stream holds, but for the newline that a terminal or an editor ends it with. */
export async function passwordFrom(input: Readable): Promise<string> {
  const password = (await text(input)).replace(/\r?\n$/, '')
  if (password !== '') return password
  throw new Error('There is no password on standard input.')
}

/** Answers that are not shown while they are typed. Throws when there are none. */
export async function hidden(
  questions: readonly string[],
  { input, output }: { input: Readable; output: Writable },
): Promise<string[]> {
  const nowhere = new Writable({ write: (_part, _encoding, done) => done() })
  const asking = createInterface({ input, output: nowhere, terminal: true, historySize: 0 })
  const answers: string[] = []
  const ask = () => output.write(`${questions[answers.length]}: `)
  return await new Promise((resolve, reject) => {
    asking.on('line', (line) => {
      output.write('\n')
      if (answers.push(line) < questions.length) ask()
      else {
        resolve(answers)
        asking.close()
      }
    })
    asking.on('SIGINT', () => asking.close())
    // After the answers it says nothing new.
    asking.on('close', () => reject(new Error('Nothing was changed.')))
    ask()
  })
}
