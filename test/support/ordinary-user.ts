/**
 * Arguments that, before a command, make permission bits apply to its process. Root keeps its name,
 * so that it still reads a checkout in a directory of its own, but loses the right to overlook the bits.
 */
export function asOrdinaryUser(): readonly string[] {
  return process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-dac_override,-dac_read_search'] : []
}
