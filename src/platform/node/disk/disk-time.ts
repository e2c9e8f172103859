/** As text: Node treats a negative number as "now", but not a negative text. */
export function secondsText(modifiedS: number, modifiedNs: number): string {
  const seconds = modifiedS + modifiedNs / 1e9
  // Rounding must not carry into the next second: programs that compare whole seconds would see a change.
  const carried = modifiedNs > 0 && seconds >= modifiedS + 1
  return String(carried ? modifiedS + 1 - 2 ** -20 : seconds)
}
