-- KEYS: the set of open buckets, the buckets to be merged, and the larger one that they are merged into, if there is one.
-- ARGV: 1 if there is a larger one, else 0; 1 if it is open from then on, else 0; how many bytes of a key stand before a
-- bucket's name; and for each bucket until when it is kept, or nothing if it is for ever.
-- Merges those that are still open. Replies with how many they were.
local BEFORE = 3
local open, name_at = KEYS[1], tonumber(ARGV[3]) + 1
local count, into = #KEYS, nil
if ARGV[1] == '1' then
  into = KEYS[count]
  count = count - 1
end
local function name(key) return string.sub(key, name_at) end

local keys, names, kept_until = {}, {}, {}
for i = 2, count do
  local is_open = redis.pcall('SISMEMBER', open, name(KEYS[i]))
  if type(is_open) == 'table' then return is_open end
  if is_open == 1 then
    keys[#keys + 1] = KEYS[i]
    names[#names + 1] = name(KEYS[i])
    kept_until[#keys] = ARGV[BEFORE + i - 1]
  end
end
if #keys == 0 then return 0 end
if into then
  local merged = redis.pcall('PFMERGE', into, unpack(keys))
  if merged.err then return merged end
  local into_until = ARGV[BEFORE + count]
  if ARGV[2] == '1' then
    redis.call('PERSIST', into)
    redis.call('SADD', open, name(into))
  elseif into_until ~= '' then
    redis.call('PEXPIREAT', into, into_until)
  end
end
redis.call('SREM', open, unpack(names))
for i, key in ipairs(keys) do
  if kept_until[i] ~= '' then redis.call('PEXPIREAT', key, kept_until[i]) end
end
return #keys
