-- The number of items that are passed to a command at once: Lua has room for some thousand words.
local AT_ONCE = 1000

-- Returns the words from this index on.
local function from(number, words)
  local rest = {}
  for i = number, #words do rest[#rest + 1] = words[i] end
  return rest
end

-- Returns the replies of a command for the items from first to last, which are appended to these words; or its error.
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

-- Returns the number of different items that the filter does not contain.
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

-- Returns whether the slot is migrating to another node of a cluster. Then this node does not let a script access keys that
-- do not exist, and so not the younger filter after it was renamed to the older one. The key that is checked has a name in
-- the slot and does not exist.
local function is_moving(older)
  local reply = redis.pcall('EXISTS', older .. ':none')
  return type(reply) == 'table' and string.find(reply.err, 'non local key', 1, true) ~= nil
end

-- Returns an error on which clients retry until the slot has migrated.
local function try_again()
  return redis.error_reply('TRYAGAIN the filters take turns when the slot has moved')
end

-- Returns the error for a call that must fail before anything changes: the key holds another type, or the filter does not
-- grow and has no room for the items that it does not contain. At most `most` of these are added.
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
