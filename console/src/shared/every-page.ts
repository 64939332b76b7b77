export interface PageQuery {
  limit: string
  cursor?: string
}

/** All items of a list. */
export async function everyPage<T>(
  ask: (query: PageQuery) => Promise<{ items: T[]; next_cursor: string | null }>,
): Promise<T[]> {
  const items: T[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = await ask({ limit: '200', ...(cursor && { cursor }) })
    items.push(...page.items)
    cursor = page.next_cursor
  }
  return items
}
