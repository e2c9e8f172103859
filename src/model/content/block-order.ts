import type { Block } from '../../core/records/block-diff.ts'

/** Blocks whose sources are looked at before one that few devices have is requested after all. */
const EXAMINED_MAX = 256
/** Blocks that few devices have, requested before the others are looked at again. */
const SCARCE_MAX = 16

/** The blocks of a file that are to be fetched. */
export interface BlockOrder {
  /** In this order. */
  readonly first: readonly Block[]
  /** Those that other devices fetch meanwhile: what they have comes first. */
  readonly others: readonly Block[]
}

/** The blocks in the order in which they are to be requested. `isCommon`: more than the first source has it by now. */
export async function* byAvailability(
  { first, others }: BlockOrder,
  isCommon: (block: Block) => Promise<boolean>,
): AsyncGenerator<Block, void, void> {
  yield* first
  const left = [...others]
  while (left.length > 0) {
    const scarce: Block[] = []
    for (const block of left.splice(0, EXAMINED_MAX)) {
      if (await isCommon(block)) yield block
      else scarce.push(block)
    }
    yield* scarce.splice(0, SCARCE_MAX)
    for (const block of scarce) left.push(block)
  }
}
