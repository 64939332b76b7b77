/** A loader hook: who asks for the driver of SQLite gets the one of `sqlite.mjs`. */
export async function resolve(specifier, context, next) {
  const ours = new URL('sqlite.mjs', import.meta.url).href
  if (specifier !== '@photostructure/sqlite' || context.parentURL === ours)
    return await next(specifier, context)
  return { url: ours, shortCircuit: true }
}
