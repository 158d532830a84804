-- KEYS: the set of open buckets. ARGV: a mark, and names of buckets.
-- Appends the mark to each of the names that is in the set, in place of its previous mark. Replies with these names, in the
-- given order.
local open, mark = KEYS[1], ARGV[1]
local members = redis.pcall('SMEMBERS', open)
if members.err then return members end
local found = {}
for _, member in ipairs(members) do
  local name = string.match(member, '^[^*]*')
  found[name] = found[name] or {}
  table.insert(found[name], member)
end
local taken = {}
for i = 2, #ARGV do
  local name = ARGV[i]
  if found[name] then
    redis.call('SADD', open, name .. mark)
    for _, member in ipairs(found[name]) do
      if member ~= name .. mark then redis.call('SREM', open, member) end
    end
    taken[#taken + 1] = name
  end
end
return taken
