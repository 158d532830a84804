-- KEYS: the filter. ARGV: the capacity of a new filter, its error rate, and the items.
-- Replies with 1 for each new item, and with 0 for the others.
local items = from(3, ARGV)
local refused = refusal(KEYS[1], items, #items)
if refused then return refused end
local words = {'BF.INSERT', KEYS[1], 'CAPACITY', ARGV[1], 'ERROR', ARGV[2], 'EXPANSION', '2', 'ITEMS'}
return ask(words, items, 1, #items)
