/** The small faults that can be planted in a source: each changes one place, and a good test should fail for it. */
import { parseSync } from 'oxc-parser'

export interface Mutant {
  readonly file: string
  readonly start: number
  readonly end: number
  readonly text: string
  readonly line: number
  /** The line before the change, without indentation. */
  readonly code: string
  /** For the report: the original text and the planted one. */
  readonly change: string
}

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [key: string]: unknown
}

const SWAPPED: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '%': '*',
  '&': '|',
  '|': '&',
  '<<': '>>',
  '>>': '<<',
  '>>>': '<<',
  '&&': '||',
  '||': '&&',
  '+=': '-=',
  '-=': '+=',
  '++': '--',
  '--': '++',
}

/** Texts of errors and log lines are not behaviour and are not changed. */
const TEXT_CALLEES = /Error$|^(?:debug|info|warn|error|fail|print|printError|malformed|violation|damaged|bad)$/

export function mutantsOf(file: string, source: string): readonly Mutant[] {
  const { program, errors } = parseSync(file, source)
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]!.message}`)
  const found: Mutant[] = []
  const plant = (start: number, end: number, text: string) => {
    const line = source.slice(0, start).split('\n').length
    const change = `${shorten(source.slice(start, end))} → ${shorten(text === '' ? '(removed)' : text)}`
    found.push({ file, start, end, text, line, code: source.split('\n')[line - 1]!.trim(), change })
  }
  walk(program as unknown as Node, (node) => plantIn(node, source, plant))
  return found
}

export function plantedSource(source: string, { start, end, text }: Mutant): string {
  return source.slice(0, start) + text + source.slice(end)
}

type Plant = (start: number, end: number, text: string) => void

/** Returns false where nothing below the node is to be changed. */
function plantIn(node: Node, source: string, plant: Plant): boolean {
  if (/^TS|^Import|^Export.*All/.test(node.type) && !TS_WITH_CODE.has(node.type)) return false
  if (isTextCall(node)) return false
  switch (node.type) {
    case 'BinaryExpression':
    case 'LogicalExpression':
    case 'AssignmentExpression':
      plantOperator(node, source, plant)
      break
    case 'UpdateExpression':
      plant(...operatorRange(node, source), SWAPPED[String(node['operator'])]!)
      break
    case 'UnaryExpression':
      if (node['operator'] === '!') plant(node.start, node.start + 1, '')
      break
    case 'Literal':
      plantLiteral(node, plant)
      break
    case 'IfStatement':
    case 'ConditionalExpression':
      for (const value of ['true', 'false']) plant(...rangeOf(node['test'] as Node), value)
      break
    case 'ExpressionStatement':
      if (isCall(node['expression'] as Node)) plant(node.start, node.end, '')
      break
    case 'ArrayExpression':
      if ((node['elements'] as readonly unknown[]).length > 0) plant(node.start, node.end, '[]')
      break
  }
  return true
}

/** Nodes of TypeScript that hold values. */
const TS_WITH_CODE = new Set(['TSAsExpression', 'TSNonNullExpression', 'TSSatisfiesExpression', 'TSParameterProperty'])

function isTextCall(node: Node): boolean {
  if (node.type !== 'NewExpression' && node.type !== 'CallExpression') return false
  return TEXT_CALLEES.test(calleeName(node))
}

/** Empty for a callee without a name. */
function calleeName(node: Node): string {
  const callee = node['callee'] as Node
  const name = callee.type === 'MemberExpression' ? (callee['property'] as Node)['name'] : callee['name']
  return typeof name === 'string' ? name : ''
}

/** Left out are lines of the debug log: they are for reading only. */
function isCall(node: Node): boolean {
  return node.type === 'AwaitExpression' || (node.type === 'CallExpression' && calleeName(node) !== 'debug')
}

function plantOperator(node: Node, source: string, plant: Plant): void {
  const operator = String(node['operator'])
  const left = node['left'] as Node
  if (operator === '??') plant(left.end, node.end, '')
  const swapped = SWAPPED[operator]
  if (swapped === undefined) return
  const [start, end] = operatorRange(node, source)
  plant(start, end, swapped)
}

/** The operator between two operands, or beside the one. */
function operatorRange(node: Node, source: string): [number, number] {
  const operator = String(node['operator'])
  const argument = node['argument'] as Node | undefined
  const from = argument === undefined ? (node['left'] as Node).end : node['prefix'] === true ? node.start : argument.end
  const start = source.indexOf(operator, from)
  return [start, start + operator.length]
}

function rangeOf(node: Node): [number, number] {
  return [node.start, node.end]
}

function plantLiteral(node: Node, plant: Plant): void {
  const value = node['value']
  if (typeof value === 'boolean') plant(node.start, node.end, String(!value))
  else if (typeof value === 'number') plant(node.start, node.end, String(value + 1))
  else if (typeof value === 'string' && value !== '') plant(node.start, node.end, "''")
}

function walk(node: Node, visit: (node: Node) => boolean): void {
  if (!visit(node)) return
  for (const [key, value] of Object.entries(node)) {
    // The names of properties and the keys of objects are no behaviour of their own.
    if ((key === 'key' || key === 'property') && node['computed'] !== true) continue
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) walk(child, visit)
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value
}

function shorten(text: string): string {
  const line = text.replace(/\s+/g, ' ')
  return line.length > 60 ? `${line.slice(0, 57)}…` : line
}
