import { type RefusalCode, UpstreamRefusal } from './refusal.ts'

/** An element of a document, with its names resolved (Namespaces in XML 1.0). */
export interface XmlElement {
  namespace: string
  /** The local name. */
  name: string
  /** Values by name, in a namespace by `{namespace}name`. Declarations of namespaces are left out. */
  attributes: ReadonlyMap<string, string>
  children: readonly XmlElement[]
  /** The own text, without that of children. */
  text: string
}

export interface XmlForm {
  code: RefusalCode
  /** What it is, for the refusal: "The response". */
  what: string
  mostBytes: number
  mostElements: number
  /** Comments split texts, by which other readers took half a name for the whole. */
  comments: 'refused' | 'skipped'
}

/** What one document may have; beyond it, a small text makes parsers work for minutes. */
const most = { depth: 64, attributes: 32, namespaces: 32 }

const name = String.raw`[A-Za-z_][\w.-]*(?::[A-Za-z_][\w.-]*)?`
const attribute = String.raw`\s+${name}\s*=\s*(?:"[^<"]*"|'[^<']*')`
const startTag = new RegExp(String.raw`<(${name})((?:${attribute})*)\s*(/?)>`, 'y')
const endTag = new RegExp(String.raw`</(${name})\s*>`, 'y')
const eachAttribute = new RegExp(String.raw`\s+(${name})\s*=\s*(?:"([^<"]*)"|'([^<']*)')`, 'g')
const characters = /[^<]+/y
const comment = /<!--[^-]*(?:-[^-]+)*-->/y
const declaration =
  /<\?xml\s+version\s*=\s*["']1\.0["'](?:\s+encoding\s*=\s*["']utf-8["'])?(?:\s+standalone\s*=\s*["'](?:yes|no)["'])?\s*\?>/iy

const xmlNamespace = 'http://www.w3.org/XML/1998/namespace'

/** The namespaces in force at an element: its own declarations, and those around it. */
interface Scope {
  own: ReadonlyMap<string, string>
  around: Scope | undefined
  size: number
}

interface Open {
  tag: string
  element: XmlElement & { children: XmlElement[] }
  scope: Scope
}

/**
 * Reads the plain part of XML and refuses everything else: DTDs, processing instructions, CDATA, and (for what is
 * signed) comments. What it takes, every parser reads alike, so the checks see what the signature's library sees.
 */
export function readXml(xml: string, form: XmlForm): XmlElement {
  if (Buffer.byteLength(xml) > form.mostBytes) refuse(form, `is longer than ${form.mostBytes / 1024} KiB`)
  // oxlint-disable-next-line no-control-regex
  if (/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/.test(xml))
    refuse(form, 'has characters that XML does not allow')
  const text = xml.replaceAll(/\r\n?/g, '\n')
  const open: Open[] = []
  let root: XmlElement | undefined
  let elements = 0
  let at = taken(declaration, text, 0)?.[0].length ?? 0
  while (at < text.length) {
    const step = stepAt(text, at, form)
    at += step[0].length
    const inner = open.at(-1)
    if (step.kind === 'text') {
      if (inner !== undefined) inner.element.text += decoded(step[0], form)
      else if (step[0].trim() !== '') refuse(form, 'has text outside its element')
    } else if (step.kind === 'end') {
      if (inner?.tag !== step[1]) refuse(form, 'is not well-formed: an element is not closed')
      open.pop()
    } else if (step.kind === 'start') {
      if (++elements > form.mostElements) refuse(form, `has more than ${form.mostElements} elements`)
      if (inner === undefined && root !== undefined) refuse(form, 'has more than one root element')
      const started = elementOf(step, inner?.scope, form)
      root ??= started.element
      inner?.element.children.push(started.element)
      if (step[3] === '') open.push(started)
      if (open.length > most.depth) refuse(form, `is nested deeper than ${most.depth} elements`)
    }
  }
  if (root === undefined || open.length > 0) refuse(form, 'is not a whole XML document')
  return root
}

type Step = RegExpExecArray & { kind: 'text' | 'start' | 'end' | 'comment' }

function stepAt(text: string, at: number, form: XmlForm): Step {
  const match = (pattern: RegExp, kind: Step['kind']) => {
    const found = taken(pattern, text, at)
    return found === undefined ? undefined : Object.assign(found, { kind })
  }
  const plain = match(characters, 'text') ?? match(startTag, 'start') ?? match(endTag, 'end')
  if (plain !== undefined) return plain
  if (text.startsWith('<!--', at)) {
    const found = form.comments === 'skipped' ? match(comment, 'comment') : undefined
    return found ?? refuse(form, 'has a comment')
  }
  if (text.startsWith('<![CDATA[', at)) refuse(form, 'has a CDATA section')
  if (text.startsWith('<!', at)) refuse(form, 'has a DTD')
  if (text.startsWith('<?', at)) refuse(form, 'has a processing instruction')
  return refuse(form, 'is not well-formed')
}

function taken(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at
  return pattern.exec(text) ?? undefined
}

function elementOf(
  [, tag = '', written = '']: readonly string[],
  around: Scope | undefined,
  form: XmlForm,
): Open {
  const pairs = [...written.matchAll(eachAttribute)].map(
    ([, key = '', double, single]) =>
      [key, decoded((double ?? single ?? '').replaceAll(/[\t\n]/g, ' '), form)] as const,
  )
  if (pairs.length > most.attributes)
    refuse(form, `has more than ${most.attributes} attributes in an element`)
  if (new Set(pairs.map(([key]) => key)).size < pairs.length) refuse(form, 'has an attribute twice')
  const isDeclaration = ([key]: readonly [string, string]) => key === 'xmlns' || key.startsWith('xmlns:')
  const scope = scopeOf(pairs.filter(isDeclaration), around, form)
  const attributes = new Map<string, string>()
  for (const [key, value] of pairs.filter((one) => !isDeclaration(one))) {
    // Canonicalisation of xml-crypto leaves out whatever begins like a declaration.
    if (/^xml(?!:)/i.test(key)) refuse(form, 'has an attribute whose name begins with xml')
    const [local, prefix] = key.split(':').toReversed()
    const full = prefix === undefined ? key : `{${namespaceOf(prefix, scope, form)}}${local}`
    if (attributes.has(full)) refuse(form, 'has an attribute twice')
    attributes.set(full, value)
  }
  const [local = '', prefix = ''] = tag.split(':').toReversed()
  const namespace = namespaceOf(prefix, scope, form)
  return { tag, element: { namespace, name: local, attributes, children: [], text: '' }, scope }
}

function scopeOf(
  declared: readonly (readonly [string, string])[],
  around: Scope | undefined,
  form: XmlForm,
): Scope {
  const own = new Map(declared.map(([key, value]) => [key.slice('xmlns:'.length), value]))
  for (const [prefix, namespace] of own) {
    if (
      /^xml/i.test(prefix) ||
      namespace === xmlNamespace ||
      namespace.startsWith('http://www.w3.org/2000/xmlns')
    )
      refuse(form, 'declares a reserved namespace')
    if (prefix !== '' && namespace === '') refuse(form, 'declares an empty namespace')
  }
  const size = (around?.size ?? 0) + own.size
  if (size > most.namespaces) refuse(form, `has more than ${most.namespaces} namespaces in force`)
  return { own, around, size }
}

function namespaceOf(prefix: string, scope: Scope, form: XmlForm): string {
  if (prefix === 'xml') return xmlNamespace
  for (let one: Scope | undefined = scope; one !== undefined; one = one.around) {
    const namespace = one.own.get(prefix)
    if (namespace !== undefined) return namespace
  }
  return prefix === '' ? '' : refuse(form, 'uses a namespace that it does not declare')
}

const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function decoded(text: string, form: XmlForm): string {
  if (text.includes(']]>')) refuse(form, 'has the end of a CDATA section')
  return text.replaceAll(
    /&(?:#x([\da-fA-F]{1,6});|#(\d{1,7});|(amp|lt|gt|quot|apos);)?/g,
    (all, hex?: string, decimal?: string, entity?: string) => {
      const known = entity === undefined ? undefined : named[entity]
      if (known !== undefined) return known
      const point = hex === undefined ? Number.parseInt(decimal ?? '', 10) : Number.parseInt(hex, 16)
      const allowed =
        point === 9 ||
        point === 10 ||
        point === 13 ||
        (point >= 32 && point <= 0xd7ff) ||
        (point >= 0xe000 && point <= 0x10_ffff)
      if (!allowed || all === '&') refuse(form, 'has an entity that XML does not define')
      return String.fromCodePoint(point)
    },
  )
}

function refuse({ code, what }: XmlForm, problem: string): never {
  throw new UpstreamRefusal(code, `${what} ${problem}.`)
}

/** The children of one name. */
export function childrenOf(element: XmlElement, namespace: string, local: string): XmlElement[] {
  return element.children.filter((one) => one.name === local && one.namespace === namespace)
}

/** The element and all below it. */
export function* within(element: XmlElement): Generator<XmlElement> {
  yield element
  for (const child of element.children) yield* within(child)
}

/** Text as it stands in XML, between tags and in attributes. */
export function xmlText(text: string): string {
  const signs: Readonly<Record<string, string>> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&apos;',
  }
  return text.replaceAll(/[&<>"']/g, (sign) => signs[sign] ?? sign)
}
