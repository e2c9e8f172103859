/**
 * Finds calls whose value is dropped by `void`. The rule for promises without a handler knows types and looks at
 * statements only: a call behind `void` in an expression, as in `() => void save()`, is invisible to it.
 */
import { parseSync, Visitor, type Expression } from 'oxc-parser'
import { lineCounter } from './sizes.ts'

/** Methods of the language and of Node that return no promise. */
const SYNCHRONOUS: ReadonlySet<string> = new Set(
  'add delete destroy emit kill list off push set setImmediate setTimeout write'.split(' '),
)

/** The lines of a source that drop the value of a call which may be a promise. */
export function discardedCalls(file: string, text: string): readonly string[] {
  const { program, errors } = parseSync(file, text)
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]!.message}`)
  const lineAt = lineCounter(text)
  const statements = new Set<number>()
  const found: number[] = []
  new Visitor({
    ExpressionStatement: ({ expression }) => void statements.add(expression.start),
    UnaryExpression: ({ operator, argument, start }) => {
      if (operator === 'void' && !statements.has(start) && mayBePromise(argument)) found.push(start)
    },
  }).visit(program)
  return found.map((start) => `line ${lineAt(start)} drops the value of a call; use a statement, or "detach"`)
}

function mayBePromise(node: Expression): boolean {
  if (node.type === 'ParenthesizedExpression' || node.type === 'ChainExpression') return mayBePromise(node.expression)
  if (node.type === 'LogicalExpression') return mayBePromise(node.right)
  if (node.type !== 'CallExpression') return false
  const { callee } = node
  const name =
    callee.type === 'Identifier'
      ? callee.name
      : callee.type === 'MemberExpression' && callee.property.type === 'Identifier' && !callee.computed
        ? callee.property.name
        : ''
  return !SYNCHRONOUS.has(name)
}
