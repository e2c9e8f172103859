/**
 * The seed of a test with chance in it. `npm test` uses the same one each time, so that a failure is caused by the
 * change that was tested; `npm run soak` chooses a new one, and TWINFOLD_SEED repeats a failure.
 */
export function testSeed(fixed = 1): number {
  const given = process.env['TWINFOLD_SEED']
  if (given !== undefined && Number.isInteger(Number(given))) return Number(given)
  const soaking = Number(process.env['TWINFOLD_EFFORT'] ?? 1) > 1
  return soaking ? Math.floor(Math.random() * 2 ** 31) : fixed
}
