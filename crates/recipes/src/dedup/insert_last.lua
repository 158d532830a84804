-- KEYS: the younger filter, the older one. ARGV: the capacity of a filter, its error rate, and the items.
-- Replies with 1 for each item that neither filter contained, and with 0 for the others.
local key, older, most, items = KEYS[1], KEYS[2], tonumber(ARGV[1]), from(3, ARGV)
local words = {
  'BF.INSERT', key, 'CAPACITY', ARGV[1], 'ERROR', ARGV[2], 'EXPANSION', '2', 'NONSCALING', 'ITEMS'
}
local function room()
  return math.max(0, most - redis.call('BF.CARD', key))
end
local held = redis.pcall('BF.CARD', older)
if type(held) == 'table' then return held end
held = redis.pcall('BF.CARD', key)
if type(held) == 'table' then return held end
local refused = refusal(key, items, room())
if refused then return refused end
if #items > room() and is_moving(older) and new_to(key, items) > room() then return try_again() end
local new, at = {}, 1
while at <= #items do
  local left = room()
  if left > 0 then
    local last = math.min(at + left - 1, #items)
    local known = ask({'BF.MEXISTS', older}, items, at, last)
    local added = ask(words, items, at, last)
    if added.err then return added end
    for i = 1, #added do new[#new + 1] = added[i] * (1 - known[i]) end
    at = last + 1
  else
    -- Items that the full filter contains do not rotate the filters.
    local some = ask({'BF.MEXISTS', key}, items, at, math.min(at + 31, #items))
    for i = 1, #some do
      if some[i] == 0 then
        local known = redis.call('BF.EXISTS', older, items[at])
        redis.call('RENAME', key, older)
        local added = ask(words, items, at, at)
        if added.err then return added end
        new[#new + 1] = 1 - known
        at = at + 1
        break
      end
      new[#new + 1] = 0
      at = at + 1
    end
  end
end
return new
