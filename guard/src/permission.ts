const permissionPattern = /^[a-z0-9][a-z0-9-]*\.[a-z0-9][a-z0-9-]*\.[a-z0-9][a-z0-9-]*$/

/** Says whether a text is a permission: `<service>.<resource>.<action>`, at most 200 characters. */
export function isPermission(text: unknown): text is string {
  return typeof text === 'string' && text.length <= 200 && permissionPattern.test(text)
}

/**
 * Stops a service at its start when it asks for a permission that no token can hold.
 * @throws TypeError when the text is no permission.
 */
export function assertPermission(text: unknown): asserts text is string {
  if (!isPermission(text)) {
    throw new TypeError(`Not a permission (<service>.<resource>.<action>): ${JSON.stringify(text)}`)
  }
}
