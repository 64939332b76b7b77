import { type BigIntStats, statSync } from 'node:fs'
import { FileIsAnother } from './failure.ts'

/** How often it is looked at, ms. */
const between = 500

/**
 * Whether a path still leads to the file that was opened there. Once it is moved, or another one is put in its place,
 * what is committed goes into a file that nobody will open again, so nothing may be acknowledged any more.
 */
export class OpenedFile {
  readonly #path: string
  readonly #opened: BigIntStats | undefined
  readonly #leave: () => boolean
  #looked = performance.now()
  #isThere = true
  #isLeft = false

  /** `leave` is called when it is seen to be away, until it says that it has done what there was to do. */
  constructor(path: string, leave: () => boolean) {
    this.#path = path
    this.#opened = this.#found()
    this.#leave = leave
  }

  /** Whether the file was there lately. */
  isThere(): boolean {
    return performance.now() - this.#looked < between ? this.#isThere : this.look()
  }

  /** Whether the file is there now. */
  look(): boolean {
    this.#looked = performance.now()
    this.#isThere = this.#isOpened(this.#found())
    this.#isLeft = !this.#isThere && (this.#isLeft || this.#leave())
    return this.#isThere
  }

  /** Throws when it is not. */
  expectThere(): void {
    if (!this.isThere()) throw new FileIsAnother(this.#path)
  }

  #isOpened(found: BigIntStats | undefined): boolean {
    if (this.#opened === undefined) return true
    return found?.ino === this.#opened.ino && found.dev === this.#opened.dev
  }

  /** Undefined: there is none. What can't be looked at for another reason counts as the one that was opened. */
  #found(): BigIntStats | undefined {
    if (this.#path === ':memory:') return undefined
    try {
      return statSync(this.#path, { bigint: true, throwIfNoEntry: false })
    } catch {
      return this.#opened
    }
  }
}
