/**
 * Counters in the branches of a source: every function, branch and right side of a logical operator adds one to a
 * global counter of its own. An input that reaches a new counter, or a new order of magnitude of one, is interesting.
 */
import { parseSync, Visitor } from 'oxc-parser'

/** The name of the global array of counters. */
export const COUNTERS = '__twinfoldCounters'
export const COUNTERS_MAX = 1 << 15

interface Spot {
  readonly start: number
  readonly end: number
}

/** The text with counters from `firstId` on, and how many there are. */
export function instrument(
  file: string,
  text: string,
  firstId: number,
): { readonly text: string; readonly count: number } {
  const { program, errors } = parseSync(file, text)
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]!.message}`)
  const inserts: { readonly at: number; readonly text: string; readonly isEnd: boolean }[] = []
  let count = 0
  const bump = () => `${COUNTERS}[${firstId + count++}]++`
  const block = (node: Spot) => inserts.push({ at: node.start + 1, text: `${bump()};`, isEnd: false })
  const around = (node: Spot, open: string, close: string) => {
    inserts.push({ at: node.start, text: open, isEnd: false }, { at: node.end, text: close, isEnd: true })
  }
  const expression = (node: Spot) => around(node, `(${bump()},`, ')')
  const statement = (node: (Spot & { readonly type: string }) | null | undefined) => {
    if (node === null || node === undefined) return
    if (node.type === 'BlockStatement') block(node)
    else around(node, `{${bump()};`, '}')
  }
  const body = (node: (Spot & { readonly type: string }) | null) => {
    if (node?.type === 'BlockStatement' || node?.type === 'FunctionBody') block(node)
    else if (node !== null) expression(node)
  }
  new Visitor({
    FunctionDeclaration: (node) => body(node.body),
    FunctionExpression: (node) => body(node.body),
    ArrowFunctionExpression: (node) => body(node.body),
    IfStatement: (node) => {
      statement(node.consequent)
      statement(node.alternate)
    },
    ForStatement: (node) => statement(node.body),
    ForOfStatement: (node) => statement(node.body),
    ForInStatement: (node) => statement(node.body),
    WhileStatement: (node) => statement(node.body),
    CatchClause: (node) => block(node.body),
    ConditionalExpression: (node) => {
      expression(node.consequent)
      expression(node.alternate)
    },
    LogicalExpression: (node) => expression(node.right),
  }).visit(program)
  return { text: withInserts(text, inserts), count }
}

/** Ends come before starts at the same place, so that neighbours stay apart; inner ends come before outer ones. */
function withInserts(
  text: string,
  inserts: readonly { readonly at: number; readonly text: string; readonly isEnd: boolean }[],
): string {
  const ordered = inserts
    .map((insert, order) => ({ ...insert, order }))
    .sort(
      (a, b) => a.at - b.at || Number(b.isEnd) - Number(a.isEnd) || (a.isEnd ? b.order - a.order : a.order - b.order),
    )
  let result = ''
  let from = 0
  for (const { at, text: added } of ordered) {
    result += text.slice(from, at) + added
    from = at
  }
  return result + text.slice(from)
}
