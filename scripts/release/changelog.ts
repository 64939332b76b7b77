/** CHANGELOG.md: what each version changes, under a heading of its own, the newest first. */

const heading = /^## \[([^\]]+)\].*$/gm

/** The versions that have a section, without `Unreleased`. */
export function versionsOf(changelog: string): string[] {
  return [...changelog.matchAll(heading)].map(([, name = '']) => name).filter((name) => name !== 'Unreleased')
}

/** What stands below the heading of a version (or of `Unreleased`); nothing where there is no such heading. */
export function sectionOf(changelog: string, name: string): string | undefined {
  const all = [...changelog.matchAll(heading)]
  const at = all.findIndex(([, one]) => one === name)
  const found = all[at]
  if (found === undefined) return undefined
  return changelog.slice(found.index + found[0].length, all[at + 1]?.index).trim()
}

/** Makes what was not released yet the section of a version; `Unreleased` stays above it, empty. */
export function released(changelog: string, version: string, day: string): string {
  return changelog.replace('## [Unreleased]\n', `## [Unreleased]\n\n## [${version}] - ${day}\n`)
}
