import { Client, type Family } from './client.ts'

const graceIsOver = 10_500

/**
 * Somebody who uses the service as clients, careless clients and thieves do, one thing after another. What it
 * does next is up to `random`, so a seed reproduces the choices.
 */
export class Actor {
  readonly client: Client
  readonly #random: () => number
  readonly #now: () => number
  #signedIn = false
  #code: Record<string, string> | undefined
  #families: Family[] = []
  /** Revoked, replayed or refused: they must stay so. */
  #ended: Family[] = []

  constructor(client: Client, random: () => number, now: () => number) {
    this.client = client
    this.#random = random
    this.#now = now
  }

  async step(): Promise<void> {
    if (!this.#signedIn || this.#random() < 0.01) {
      this.#signedIn = await this.client.signIn()
      return
    }
    const family = this.#families[Math.floor(this.#random() * this.#families.length)]
    const choice = this.#random()
    if (this.#code !== undefined && choice < 0.7) return await this.#exchange()
    if (this.#code === undefined && (family === undefined || choice < 0.15)) {
      this.#code = await this.client.authorize()
      return
    }
    if (choice > 0.93 && this.#ended.length > 0) return await this.#disturb()
    if (family !== undefined) await this.#use(family)
  }

  async #exchange(): Promise<void> {
    const form = this.#code ?? {}
    this.#code = undefined
    const family = await this.client.exchange(form)
    if (family === undefined) {
      // No answer, or a refusal: once more, as an impatient client does.
      const again = await this.client.exchange(form)
      if (again !== undefined) this.#families.push(again)
    } else this.#families.push(family)
  }

  async #use(family: Family): Promise<void> {
    const choice = this.#random()
    const replaced = family.tokens.at(-2)
    if (choice < 0.6) {
      // Some present it twice at the same time, as two tabs do.
      const both = this.#random() < 0.2
      const worked = await Promise.all(
        both ? [this.client.refresh(family), this.client.refresh(family)] : [this.client.refresh(family)],
      )
      // After an answer that did not come a client tries again; the next step may.
      if (family.tokens.length > 25 || worked.includes(false)) this.#retire(family, family.tokens.length > 25)
      return
    }
    if (choice < 0.7) return await this.client.userinfo(family)
    if (choice < 0.8 && replaced !== undefined && this.#now() - family.at < 8000) {
      await this.client.refresh(family, replaced)
      return
    }
    if (choice < 0.9 && replaced !== undefined && this.#now() - family.at > graceIsOver) {
      await this.client.refresh(family, replaced)
      return this.#retire(family, true)
    }
    if (choice < 0.94) await this.client.revoke(family)
    else if (choice < 0.97) await this.client.exchange(family.exchange)
    else return
    this.#retire(family, true)
  }

  /** What has ended is asked for again. */
  async #disturb(): Promise<void> {
    const family = this.#ended[Math.floor(this.#random() * this.#ended.length)]
    if (family === undefined) return
    const choice = this.#random()
    if (choice < 0.5) await this.client.refresh({ ...family, tokens: [...family.tokens] })
    else if (choice < 0.8) await this.client.userinfo(family)
    else await this.client.exchange(family.exchange)
  }

  #retire(family: Family, surely: boolean): void {
    if (!surely && this.#random() < 0.7) return
    this.#families = this.#families.filter((one) => one !== family)
    this.#ended = [...this.#ended.slice(-7), family]
  }
}
