import { type QueryCompiler, type SelectModifierNode, SqliteDialect, SqliteQueryCompiler } from 'kysely'

/** The dialect of the embedded database. It leaves out the locks of rows, which SQLite has no words for. */
export class EmbeddedDialect extends SqliteDialect {
  override createQueryCompiler(): QueryCompiler {
    return new CompilerWithoutRowLocks()
  }
}

class CompilerWithoutRowLocks extends SqliteQueryCompiler {
  protected override visitSelectModifier(node: SelectModifierNode): void {
    if (node.modifier === undefined || !rowLocks.includes(node.modifier)) super.visitSelectModifier(node)
  }
}

const rowLocks: readonly string[] = [
  'ForUpdate',
  'ForNoKeyUpdate',
  'ForShare',
  'ForKeyShare',
  'NoWait',
  'SkipLocked',
] satisfies SelectModifierNode['modifier'][]
