/** Questions to the person at the terminal. */
import { isUtf8 } from 'node:buffer'
import { createInterface } from 'node:readline'
import { buffer } from 'node:stream/consumers'
import { type Readable, Writable } from 'node:stream'
import { type Context, isTerminal } from './context.ts'
import { plain } from './plain.ts'

/** Asks for a yes; anything else, also the end of the input, is no. */
export async function confirmed(
  question: string,
  { input, output }: { input: Readable; output: Writable },
): Promise<boolean> {
  const asking = createInterface({ input, output })
  const answer = await new Promise<string>((resolve) => {
    asking.once('close', () => resolve(''))
    asking.question(`${plain(question)} [y/N] `, resolve)
  })
  asking.close()
  return /^\s*y(es)?\s*$/i.test(answer)
}

/** A question, and what Enter answers. */
export interface Question {
  text: string
  proposed: string
}

/** Asks one after the other; an empty answer is what is proposed. Throws when the input ends before. */
export async function answersTo(
  questions: readonly Question[],
  { input, errors: output }: Context,
): Promise<string[]> {
  const asking = createInterface({ input })
  const lines = asking[Symbol.asyncIterator]()
  const answers: string[] = []
  try {
    for (const { text, proposed } of questions) {
      output.write(plain(`${text} [${proposed}] `))
      const line = await lines.next()
      if (line.done === true) throw new Error('Nothing was changed.')
      answers.push(line.value.trim() || proposed)
    }
  } finally {
    asking.close()
  }
  return answers
}

/** Throws where nobody can be asked and nobody said yes. */
export function refuseUnasked(
  context: Context,
  { yes }: { yes?: boolean },
  why = 'It can not be undone',
): void {
  if (yes === true || isTerminal(context)) return
  throw new Error(`${why}, and nobody can be asked here: add --yes.`)
}

/** Asks, unless `--yes` did. Throws when the answer is no. */
export async function agreed(
  { input, errors: output }: Context,
  question: string,
  { yes }: { yes?: boolean } = {},
): Promise<void> {
  if (yes === true || (await confirmed(question, { input, output }))) return
  throw new Error('Nothing was changed.')
}

/** A new password: typed twice on a terminal, which shows nothing of it; else all that standard input holds. */
export async function newPassword(context: Context): Promise<string> {
  const { input, errors: output } = context
  if (!isTerminal(context)) return await passwordFrom(input)
  const [first = '', second] = await hidden(['Password', 'The same again'], { input, output })
  if (first === second) return first
  throw new Error('The two are not the same; nothing was changed.')
}

/** All that a stream holds, but for the newline that a terminal or an editor ends it with. */
export async function lineFrom(input: Readable): Promise<string> {
  const bytes = await buffer(input)
  // Decoded with replacements it would be another password, which no form sends.
  if (!isUtf8(bytes)) throw new Error('What came on standard input is not UTF-8.')
  return bytes.toString('utf8').replace(/\r?\n$/, '')
}

/** A password that a stream holds. Throws when there is none. */
export async function passwordFrom(input: Readable): Promise<string> {
  const password = await lineFrom(input)
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
    // A promise that is resolved ignores this.
    asking.on('close', () => reject(new Error('Nothing was changed.')))
    ask()
  })
}
