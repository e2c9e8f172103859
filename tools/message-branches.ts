/**
 * Finds conditions on the text of an error: `messageOf(error) === '…'`, `error.message.includes(…)`, a pattern that is
 * tested on it. A text is for people and may change; programs use the code and the detail of an error. Where a library
 * or another program gives only texts, they are translated into a code in one place, which says so in a comment: "only
 * texts".
 */
import { parseSync, Visitor, type Expression, type PrivateIdentifier } from 'oxc-parser'
import { lineCounter } from './sizes.ts'

const STATED = /\bonly texts?\b/i
const ASKS_TEXT: ReadonlySet<string> = new Set(['endsWith', 'includes', 'indexOf', 'match', 'search', 'startsWith'])
const ASKS_PATTERN: ReadonlySet<string> = new Set(['exec', 'test'])
const EQUALITIES: ReadonlySet<string> = new Set(['==', '===', '!=', '!=='])
/** Names that may hold a code as well: a text is one if it has a space in it. */
const REASONS: ReadonlySet<string> = new Set(['error', 'reason', 'text'])

type Node = Expression | PrivateIdentifier

/** The lines of a source that branch on the text of an error. */
export function messageBranches(file: string, text: string): readonly string[] {
  const { program, errors } = parseSync(file, text)
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]!.message}`)
  const lineAt = lineCounter(text)
  const lines = text.split('\n')
  const found: number[] = []
  new Visitor({
    BinaryExpression: ({ operator, left, right, start }) => {
      if (!EQUALITIES.has(operator)) return
      if (isCompared(left, right) || isCompared(right, left)) found.push(start)
    },
    SwitchStatement: ({ discriminant, start }) => {
      if (isMessage(discriminant)) found.push(start)
    },
    CallExpression: ({ callee, arguments: [first], start }) => {
      if (callee.type !== 'MemberExpression' || callee.computed || first?.type === 'SpreadElement') return
      const method = callee.property.type === 'Identifier' ? callee.property.name : ''
      if (ASKS_TEXT.has(method) && first !== undefined && isAsked(callee.object, first)) found.push(start)
      if (ASKS_PATTERN.has(method) && first !== undefined && isMessage(first)) found.push(start)
    },
  }).visit(program)
  const isStated = (line: number) => [line - 1, line].some((each) => STATED.test(lines[each - 1] ?? ''))
  return found
    .map(lineAt)
    .filter((line) => !isStated(line))
    .map((line) => `line ${line} branches on the text of an error; use a code or a detail`)
}

/** A comparison with another variable only asks whether both are the same. */
function isCompared(side: Node, other: Node): boolean {
  if (isMessage(side)) return isText(other, /./) || isConstant(other)
  return isReason(side) && isText(other, /\S \S/)
}

function isAsked(object: Node, wanted: Node): boolean {
  return isMessage(object) || (isReason(object) && isText(wanted, /\S \S/))
}

/** `messageOf(…)`, `….message` or `message`. */
function isMessage(node: Node): boolean {
  if (node.type === 'ParenthesizedExpression' || node.type === 'ChainExpression') return isMessage(node.expression)
  if (node.type === 'Identifier') return node.name === 'message'
  if (node.type === 'CallExpression') return node.callee.type === 'Identifier' && node.callee.name === 'messageOf'
  return node.type === 'MemberExpression' && node.property.type === 'Identifier' && node.property.name === 'message'
}

function isReason(node: Node): boolean {
  const name =
    node.type === 'Identifier'
      ? node.name
      : node.type === 'MemberExpression' && node.property.type === 'Identifier'
        ? node.property.name
        : ''
  return REASONS.has(name)
}

function isText(node: Node, pattern: RegExp): boolean {
  return node.type === 'TemplateLiteral' || (node.type === 'Literal' && pattern.test(String(node.value)))
}

function isConstant(node: Node): boolean {
  return node.type === 'Identifier' && /^[A-Z][A-Z_]+$/.test(node.name)
}
