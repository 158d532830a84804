-- How many items a command takes at once: Lua has room for some thousand words.
local AT_ONCE = 1000

-- The words from that number on.
local function from(number, words)
  local rest = {}
  for i = number, #words do rest[#rest + 1] = words[i] end
  return rest
end

-- What a command says of each of the items first to last, which come behind these words; or its error.
local function ask(words, items, first, last)
  local replies = {}
  for start = first, last, AT_ONCE do
    local call = {unpack(words)}
    for i = start, math.min(start + AT_ONCE - 1, last) do call[#call + 1] = items[i] end
    local some = redis.pcall(unpack(call))
    if some.err then return some end
    for i = 1, #some do
      if type(some[i]) == 'table' then return some[i] end
      replies[#replies + 1] = some[i]
    end
  end
  return replies
end

-- How many different items the filter has not.
local function new_to(key, items)
  local known, counted, new = ask({'BF.MEXISTS', key}, items, 1, #items), {}, 0
  for i = 1, #items do
    if known[i] == 0 and not counted[items[i]] then
      counted[items[i]] = true
      new = new + 1
    end
  end
  return new
end

-- Whether the slot is moving to another node of a cluster. This node then lets a script go to no key that is not there, and
-- so not to the younger filter once it has become the older one. A name of the slot that no key has shows it.
local function is_moving(older)
  local reply = redis.pcall('EXISTS', older .. ':none')
  return type(reply) == 'table' and string.find(reply.err, 'non local key', 1, true) ~= nil
end

-- What clients know: to send the same again until the slot has moved.
local function try_again()
  return redis.error_reply('TRYAGAIN the filters take turns when the slot has moved')
end

-- What is refused before anything changes: a key that holds something else, and a filter that does not grow and has no room
-- for the items that it has not, of which there are at most so many.
local function refusal(key, items, most)
  local held = redis.pcall('BF.CARD', key)
  if type(held) == 'table' then return held end
  if redis.call('EXISTS', key) == 0 then return nil end
  local info = redis.call('BF.INFO', key)
  local room = info[2] - info[8]
  if info[10] or math.min(most, #items) <= room then return nil end
  if math.min(most, new_to(key, items)) <= room then return nil end
  return redis.error_reply('ERR non scaling filter is full')
end
