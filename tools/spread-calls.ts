/** Finds calls whose number of arguments is as large as some list: beyond about 100,000 they overflow the stack. */
import { parseSync, Visitor, type Argument, type Function, type ArrowFunctionExpression } from 'oxc-parser'
import { lineCounter } from './sizes.ts'

/** A comment that gives the bound, on the line of the call or the one before: `// at most 64`. */
const BOUND = /\bat most\b/i

/** The lines of a source that spread a list of unknown length into a call. */
export function unboundedSpreads(file: string, text: string): readonly string[] {
  const { program, comments, errors } = parseSync(file, text)
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]!.message}`)
  const lineAt = lineCounter(text)
  const bounded = new Set(comments.filter(({ value }) => BOUND.test(value)).map(({ end }) => lineAt(end)))
  /** Rest parameters, which are passed on: the caller is checked as well. */
  const rests: { readonly name: string; readonly start: number; readonly end: number }[] = []
  const calls: { readonly start: number; readonly spread: Argument }[] = []
  const enter = ({ params, start, end }: Function | ArrowFunctionExpression): void => {
    const last = params.at(-1)
    if (last?.type === 'RestElement' && last.argument.type === 'Identifier')
      rests.push({ name: last.argument.name, start, end })
  }
  const see = ({ arguments: given }: { readonly arguments: readonly Argument[] }): void => {
    for (const spread of given) if (spread.type === 'SpreadElement') calls.push({ start: spread.start, spread })
  }
  new Visitor({
    FunctionDeclaration: enter,
    FunctionExpression: enter,
    ArrowFunctionExpression: enter,
    CallExpression: see,
    NewExpression: see,
  }).visit(program)
  return calls
    .filter(({ start, spread }) => {
      if (spread.type !== 'SpreadElement' || isLiteral(spread.argument)) return false
      const { argument } = spread
      const isPassedOn =
        argument.type === 'Identifier' &&
        rests.some((rest) => rest.name === argument.name && rest.start < start && start < rest.end)
      const line = lineAt(start)
      return !isPassedOn && !bounded.has(line) && !bounded.has(line - 1)
    })
    .map(({ start }) => `line ${lineAt(start)} spreads a list into a call; use a loop, or state the bound: "at most …"`)
}

/** Whether an expression is a list written here, or one of two. */
function isLiteral(node: { readonly type: string }): boolean {
  if (node.type === 'ArrayExpression')
    return !(node as unknown as { elements: readonly { type: string }[] }).elements.some(
      (one) => one?.type === 'SpreadElement',
    )
  if (node.type === 'ParenthesizedExpression')
    return isLiteral((node as unknown as { expression: { type: string } }).expression)
  if (node.type !== 'ConditionalExpression') return false
  const { consequent, alternate } = node as unknown as Record<'consequent' | 'alternate', { type: string }>
  return isLiteral(consequent) && isLiteral(alternate)
}
